"""Gin Rummy: cards, rules, hands, games, bots and the maths of a ladder, on the standard library alone."""
