"""Find the texts that fool a text model, see why they fool it, and harden the model against them."""
