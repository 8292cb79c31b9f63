"""``python -m fairgl``."""

from fairgl.cli import main

if __name__ == "__main__":
    main()
