from arena.cli.program import main

if __name__ == "__main__":  # the processes of `play --jobs` import this module as well
    main()
