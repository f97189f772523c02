"""The token ids every encoder of the zoo shares."""

PAD, UNKNOWN = 0, 1
