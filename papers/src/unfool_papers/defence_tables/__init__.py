"""Tables of defences: a paper declares who is defended how, and every piece of the table is made once."""
