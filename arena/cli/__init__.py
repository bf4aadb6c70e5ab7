"""The author's tool: `arena.cli.program` is the command line, and each command is a module beside it."""
