"""The figures of the papers again, one file each, and the figures of `discreet snap`."""
