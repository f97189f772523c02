"""What Yuan et al. (2021) read out of a transfer study and of judged rules."""
