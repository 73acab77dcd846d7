"""Characters to tokens: logical lines without comments, and the tokens in them."""
