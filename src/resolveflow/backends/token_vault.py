"""Where a person's own GitHub token comes from when they decide in a terminal."""

from dataclasses import dataclass

from pydantic import SecretStr

from resolveflow.domain.errors import NotApproved


@dataclass(frozen=True)
class OneTokenVault:
    """The one token of whoever runs the command; `execute` checks that it is the approver's."""

    secret: SecretStr | None

    async def token(self, account_id: int) -> SecretStr:
        """Hand out the token.

        Raises:
            NotApproved: there is none.
        """
        if self.secret is None:
            raise NotApproved(
                f"there is no token of account {account_id}: set RESOLVEFLOW_APPROVER_TOKEN"
            )
        return self.secret
