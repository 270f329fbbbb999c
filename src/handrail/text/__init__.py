"""Text utilities that several stages share: cleaning, Markdown, sentences, language, courtesies and redaction."""
