"""What all tests share."""

from hypothesis import settings

# A loaded machine is no bug.
settings.register_profile("unfool", deadline=None)
settings.load_profile("unfool")
