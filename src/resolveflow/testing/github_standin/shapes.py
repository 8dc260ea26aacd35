"""The stand-in's records in the shapes of GitHub's REST API, as complete as its OpenAPI asks."""

import base64
from datetime import datetime

from resolveflow.testing.github_standin.records import (
    CheckRun,
    Comment,
    Commit,
    CommitStatus,
    Issue,
    Repository,
    User,
)
from resolveflow.testing.github_standin.templates import (
    PROFILE,
    REPOSITORY_FACTS,
    REPOSITORY_URLS,
    USER_URLS,
    Shape,
)
from resolveflow.testing.github_standin.world import World


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _node(kind: str, number: int) -> str:
    return base64.b64encode(f"{kind}{number}".encode()).decode()


class Shapes:
    """Renders a world for the address it is served at."""

    def __init__(self, world: World, address: str) -> None:
        self._world = world
        self._address = address

    def user(self, user: User) -> Shape:
        """A `simple-user`."""
        api = f"{self._address}/users/{user.login}"
        return {
            "login": user.login,
            "id": user.id,
            "node_id": _node("User", user.id),
            "avatar_url": f"{self._address}/avatars/{user.id}",
            "gravatar_id": "",
            "url": api,
            "html_url": f"{self._address}/{user.login}",
            **{name: api + suffix for name, suffix in USER_URLS.items()},
            "type": user.type,
            "user_view_type": "public",
            "site_admin": False,
        }

    def viewer(self, user: User) -> Shape:
        """A `public-user`."""
        since = "2020-01-01T00:00:00Z"
        return {**self.user(user), **PROFILE, "created_at": since, "updated_at": since}

    def repository(self, repository: Repository) -> Shape:
        """A `full-repository`."""
        api = self._api(repository)
        web = f"{self._address}/{repository.full_name}"
        created = _time(repository.created_at)
        still_open = sum(issue.state == "open" for issue in repository.issues)
        return {
            **REPOSITORY_FACTS,
            **{name: api + suffix for name, suffix in REPOSITORY_URLS.items()},
            "id": repository.id,
            "node_id": _node("Repository", repository.id),
            "name": repository.name,
            "full_name": repository.full_name,
            "private": repository.private,
            "archived": repository.archived,
            "default_branch": repository.default_branch,
            "owner": self.user(self._world.user(repository.owner)),
            "html_url": web,
            "clone_url": repository.clone_url or f"{web}.git",
            "git_url": f"{web}.git",
            "ssh_url": f"{web}.git",
            "svn_url": web,
            "open_issues": still_open,
            "open_issues_count": still_open,
            "pushed_at": created,
            "created_at": created,
            "updated_at": created,
        }

    def issue(self, repository: Repository, issue: Issue) -> Shape:
        """An `issue`; a pull request carries `pull_request` as it does on GitHub."""
        api = f"{self._api(repository)}/issues/{issue.number}"
        shape = {
            "url": api,
            "repository_url": self._api(repository),
            "labels_url": api + "/labels{/name}",
            "comments_url": f"{api}/comments",
            "events_url": f"{api}/events",
            "html_url": self._web(repository, issue),
            "id": issue.id,
            "node_id": _node("Issue", issue.id),
            "labels": [self.label(repository, name) for name in issue.labels],
            "milestone": None,
            "assignee": None,
            "assignees": [],
            "comments": len(issue.comments),
            "closed_at": _time(issue.updated_at) if issue.state == "closed" else None,
            "active_lock_reason": None,
            **self._authored(repository, issue),
        }
        if issue.head is not None:
            shape["pull_request"] = self._pull_links(repository, issue)
        return shape

    def comment(self, repository: Repository, issue: Issue, comment: Comment) -> Shape:
        """An `issue-comment`."""
        created = _time(comment.created_at)
        return {
            "url": f"{self._api(repository)}/issues/comments/{comment.id}",
            "html_url": f"{self._web(repository, issue)}#issuecomment-{comment.id}",
            "issue_url": f"{self._api(repository)}/issues/{issue.number}",
            "id": comment.id,
            "node_id": _node("IssueComment", comment.id),
            "user": self.user(self._world.user(comment.user)),
            "created_at": created,
            "updated_at": created,
            "author_association": self._association(repository, comment.user),
            "body": comment.body,
        }

    def label(self, repository: Repository, name: str) -> Shape:
        """A `label`."""
        number = sum(name.encode())
        return {
            "id": number,
            "node_id": _node("Label", number),
            "url": f"{self._api(repository)}/labels/{name}",
            "name": name,
            "description": None,
            "color": "ededed",
            "default": False,
        }

    def pull_request(self, repository: Repository, pull: Issue) -> Shape:
        """A `pull-request` within one repository."""
        api = f"{self._api(repository)}/pulls/{pull.number}"
        issue = f"{self._api(repository)}/issues/{pull.number}"
        links = {
            "self": api,
            "html": self._web(repository, pull),
            "issue": issue,
            "comments": f"{issue}/comments",
            "review_comments": f"{api}/comments",
            "review_comment": f"{self._api(repository)}/pulls/comments{{/number}}",
            "commits": f"{api}/commits",
            "statuses": f"{self._api(repository)}/statuses/{pull.head}",
        }
        return {
            **self._authored(repository, pull),
            **self._pull_links(repository, pull),
            **{f"{name}_url": links[name] for name in links if name not in {"self", "html"}},
            "_links": {name: {"href": link} for name, link in links.items()},
            "id": pull.id,
            "node_id": _node("PullRequest", pull.id),
            "labels": [self.label(repository, name) for name in pull.labels],
            "closed_at": None,
            "merged_at": None,
            "merge_commit_sha": None,
            "merged": False,
            "merged_by": None,
            "mergeable": None,
            "mergeable_state": "unknown",
            "milestone": None,
            "assignee": None,
            "auto_merge": None,
            "maintainer_can_modify": False,
            "head": self._branch(repository, f"pull-{pull.number}", pull.head or ""),
            "base": self._branch(repository, repository.default_branch, "0" * 40),
            "comments": len(pull.comments),
            "review_comments": 0,
            "commits": 1,
            "additions": 0,
            "deletions": 0,
            "changed_files": 0,
        }

    def check_run(self, repository: Repository, sha: str, run: CheckRun) -> Shape:
        """A `check-run`."""
        api = f"{self._api(repository)}/check-runs/{run.id}"
        done = run.status == "completed"
        return {
            "id": run.id,
            "node_id": _node("CheckRun", run.id),
            "head_sha": sha,
            "external_id": "",
            "url": api,
            "html_url": f"{self._address}/{repository.full_name}/runs/{run.id}",
            "details_url": f"{self._address}/{repository.full_name}/runs/{run.id}",
            "status": run.status,
            "conclusion": run.conclusion if done else None,
            "started_at": _time(repository.created_at),
            "completed_at": _time(repository.created_at) if done else None,
            "output": {
                "title": None,
                "summary": None,
                "text": None,
                "annotations_count": 0,
                "annotations_url": f"{api}/annotations",
            },
            "name": run.name,
            "check_suite": {"id": repository.id},
            "app": None,
            "pull_requests": [],
        }

    def combined_status(
        self, repository: Repository, sha: str, commit: Commit, page: list[CommitStatus]
    ) -> Shape:
        """A `combined-commit-status` that holds one page of the statuses."""
        states = {status.state for status in commit.statuses}
        bad = bool(states & {"failure", "error"})
        pending = not states or "pending" in states
        api = f"{self._api(repository)}/commits/{sha}"
        return {
            "state": "failure" if bad else "pending" if pending else "success",
            "statuses": [self._status(repository, sha, status) for status in page],
            "sha": sha,
            "total_count": len(commit.statuses),
            "repository": self.repository(repository),
            "commit_url": api,
            "url": f"{api}/status",
        }

    def _status(self, repository: Repository, sha: str, status: CommitStatus) -> Shape:
        created = _time(repository.created_at)
        return {
            "url": f"{self._api(repository)}/statuses/{sha}",
            "avatar_url": None,
            "id": status.id,
            "node_id": _node("StatusContext", status.id),
            "state": status.state,
            "description": status.description,
            "target_url": None,
            "context": status.context,
            "created_at": created,
            "updated_at": created,
        }

    def _authored(self, repository: Repository, issue: Issue) -> Shape:
        return {
            "number": issue.number,
            "title": issue.title,
            "body": issue.body,
            "user": self.user(self._world.user(issue.user)),
            "author_association": self._association(repository, issue.user),
            "state": issue.state,
            "locked": issue.locked,
            "created_at": _time(issue.created_at),
            "updated_at": _time(issue.updated_at),
        }

    def _pull_links(self, repository: Repository, pull: Issue) -> Shape:
        web = self._web(repository, pull)
        return {
            "url": f"{self._api(repository)}/pulls/{pull.number}",
            "html_url": web,
            "diff_url": f"{web}.diff",
            "patch_url": f"{web}.patch",
        }

    def _branch(self, repository: Repository, ref: str, sha: str) -> Shape:
        return {
            "label": f"{repository.owner}:{ref}",
            "ref": ref,
            "sha": sha,
            "user": self.user(self._world.user(repository.owner)),
            "repo": self.repository(repository),
        }

    def _association(self, repository: Repository, login: str) -> str:
        if login == repository.owner:
            return "OWNER"
        return "COLLABORATOR" if repository.rights.get(login, "none") != "none" else "NONE"

    def _api(self, repository: Repository) -> str:
        return f"{self._address}/repos/{repository.full_name}"

    def _web(self, repository: Repository, issue: Issue) -> str:
        kind = "issues" if issue.head is None else "pull"
        return f"{self._address}/{repository.full_name}/{kind}/{issue.number}"
