"""A section written by a language model: claims from the passages, with the whole template in view, each checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from handrail.answer.blocks import Blocks
from handrail.answer.citations import enforce
from handrail.answer.llm import MOST_PASSAGES, CitedAnswer, claims_of
from handrail.errors import HandrailError
from handrail.llm import LanguageModel
from handrail.llm.prompts import PromptLibrary, RenderedPrompt
from handrail.report import Part, Template
from handrail.report.evidence import Found
from handrail.settings import Brand, Verify
from handrail.text import language
from handrail.turn.fallback import WithSpare
from handrail.turn.wording import Wording
from handrail.types import Draft, Evidence, Question, Verdict, Verified
from handrail.verify import Verifier
from handrail.verify.withhold import settled, withhold

NOTHING_GIVEN = Blocks(())


class Writer:
    """Writes one section after the other; holds nothing between them."""

    def __init__(
        self,
        model: LanguageModel,
        prompts: PromptLibrary,
        brand: Brand,
        given: Callable[[Question, Evidence], Blocks],
        verify: WithSpare[Verifier] | None,
        settings: Verify,
        wording: Wording,
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._brand = brand
        self._given = given
        self._verify = verify
        self._settings = settings
        self._wording = wording

    @property
    def name(self) -> str:
        return self._model.name

    def digest(self, template: Template) -> str:
        """Of the prompt that is in use."""
        return self._prompt(template, template.parts[0], NOTHING_GIVEN, language.DEFAULT).digest

    async def write(self, template: Template, found: Found) -> Draft:
        """A draft without what its passages do not support; without claims where they hold nothing for the section.

        Raises NotSupported where too little of it is left, and HandrailError when the provider fails.
        """
        part = found.part
        lang = language.of_message(f"{part.heading}\n{part.guidance}", language.DEFAULT)
        question = Question(f"{part.heading}\n{part.guidance}".strip(), "report", part.heading, lang=lang)
        most = max(MOST_PASSAGES, len(found.evidence.parts))
        evidence = replace(found.evidence, hits=found.evidence.hits[:most])
        given = self._given(question, evidence)
        reply = await self._model.ask(self._prompt(template, part, given, lang), CitedAnswer)
        claims = claims_of(reply.output.claims, given.passages, lang)
        if reply.output.answered is Verdict.CANNOT:
            claims = ()
        draft = Draft(claims, reply.provider, reply.model or self._model.name, usage=reply.usage)
        draft = enforce(draft, evidence, may_be_empty=True)
        if self._verify is None or not draft.claims:
            return draft
        return withhold(await self._verified(self._verify, question, draft, evidence), self._settings, self._wording)

    async def _verified(
        self, verify: WithSpare[Verifier], question: Question, draft: Draft, evidence: Evidence
    ) -> Verified:
        try:
            found = await verify.primary.verify(question, draft, evidence)
        except HandrailError:
            if verify.spare is None:
                raise
            found = await verify.spare.verify(question, draft, evidence)
        return settled(found, self._settings)

    def _prompt(self, template: Template, part: Part, given: Blocks, lang: str) -> RenderedPrompt:
        return self._prompts.render(
            "report",
            brand=self._brand.name,
            lang=lang,
            title=template.title,
            note=template.note,
            outline=[(other.heading, other.guidance) for other in template.parts],
            context=given.context,
            wrong=given.wrong,
            rules=given.rules,
            message=f"{part.heading}\n{part.guidance}".strip(),
        )
