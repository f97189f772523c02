"""What can be named: built-ins and what other packages bring, found alike by entry points."""
