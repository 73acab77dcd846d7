"""Reads HTML pages."""

from html.parser import HTMLParser

#: Tags without an end tag.
EMPTY = {"meta", "br", "img"}


class Reader(HTMLParser):
    """Collects a page's text, tags and attributes, and checks that tags are closed."""

    def __init__(self, text):
        super().__init__()
        self.words, self.tags, self.attributes, self.open = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, *(name for name, _ in attributes)))
        self.attributes += [(tag, *pair) for pair in attributes]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(text)
