"""The weights that unfool pretrained itself: a small ALBERT and a small ELMo. Data only; unfool reads them."""
