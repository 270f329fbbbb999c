"""Messages in other languages, word by word in English: "Wie verbinde ich meine Domain?" is "how connect i my Domain?".

No translation, and never shown: it is searched for, read and judged by models that know English alone. Word lists, a
file for each language: `verbinden, verbinde, verbunden > connect`. `…` stands for words between the parts of one that
is separated; what stands for nothing that is searched for has nothing on the right.
"""

from handrail.gloss.interpreter import Interpreter, gloss, languages, otherwise_than_in_english

__all__ = ["Interpreter", "gloss", "languages", "otherwise_than_in_english"]
