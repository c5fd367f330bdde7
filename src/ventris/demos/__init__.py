"""The story `ventris demo` tells, and files to try the command line on."""
