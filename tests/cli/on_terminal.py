#!/usr/bin/env -S python3 -B
"""on_terminal.py COLUMNS COMMAND... - run a command whose standard output is a
terminal so many columns wide, and print what it writes there.

The exit status is that of the command; standard error is passed through.
"""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios


def main(columns, command):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ,
                struct.pack("HHHH", 50, columns, 0, 0))
    modes = termios.tcgetattr(theirs)
    modes[1] &= ~termios.OPOST  # newlines stay newlines
    termios.tcsetattr(theirs, termios.TCSANOW, modes)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs)
    os.close(theirs)
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # EIO: nobody has the other end open any more
            break
        if not data:
            break
        sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    status = child.wait()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
