"""The pages about attacks, defences and ways to harden: prose by hand, options and figures from the code."""
