"""A little work before a browser becomes a visitor: nothing for one, and much for a script that makes many.

The protocol is ALTCHA's: the browser looks for the number whose SHA-256 with a salt is the challenge. The salt says
when the challenge runs out, and a signature keeps anybody from making one. Nothing is kept of a challenge: the
visitor's id is made of it, so that solved once it is one visitor, taken once as visitor tokens are exchanged once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b, sha256
from typing import Any

from altcha.v1 import ChallengeOptions, Payload, create_challenge, extract_params, verify_solution

from handrail.errors import HandrailError

VALID_S = 300


class BadProof(HandrailError):
    """The work was not done, or not for a challenge of ours that still counts."""


@dataclass(frozen=True, slots=True)
class ProofOfWork:
    """`most`: hashes that a solution takes at most; 0 asks for none. `clock` returns seconds since the epoch."""

    secret: bytes
    most: int
    clock: Callable[[], float]

    def challenge(self) -> dict[str, Any]:
        """`algorithm`, `challenge`, `salt`, `signature` and `maxnumber`."""
        until = datetime.fromtimestamp(self.clock() + VALID_S, UTC)
        made = create_challenge(ChallengeOptions("SHA-256", self.most, hmac_key=self._key, expires=until))
        return {
            "algorithm": made.algorithm,
            "challenge": made.challenge,
            "salt": made.salt,
            "signature": made.signature,
            "maxnumber": made.max_number,
        }

    def visitor(self, solution: Payload) -> str:
        """The id of the visitor whom `solution` makes: always the same one. Raises BadProof."""
        right, _ = verify_solution(solution, self._key, check_expires=False)
        until = extract_params(solution.to_dict()).get("expires", [""])[0]
        if not right or not until.isdecimal() or int(until) < self.clock():
            raise BadProof("the proof of work is wrong or too old")
        return sha256(f"proof:{solution.challenge}".encode()).hexdigest()[:32]

    @property
    def _key(self) -> bytes:
        return blake2b(self.secret, digest_size=32, person=b"proof of work").digest()
