import arena.compat, player
Bot = arena.compat.wrap(player.TablePlayer)
