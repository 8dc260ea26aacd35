#!/bin/sh
# Fetch GitHub's published API description and recorded traffic for the tests that compare with
# them. They land in .cache/assets, which git ignores; without them those tests are skipped.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .cache/assets
cd .cache/assets

fetch() { # name version sha256 files…
    name=$1 version=$2 sum=$3
    shift 3
    archive="octokit-$name-$version.tgz"
    check() { echo "$sum  $archive" | sha256sum --check --quiet >/dev/null 2>&1; }
    if ! check; then
        npm pack --silent "@octokit/$name@$version" >/dev/null
        check || { echo "$archive is not what it was when it was pinned" >&2; exit 1; }
    fi
    mkdir -p "$name"
    tar -xzf "$archive" -C "$name" --strip-components=1 "$@"
}

command -v npm >/dev/null || { echo "npm is needed to fetch the test assets" >&2; exit 3; }
command -v sha256sum >/dev/null || sha256sum() { shasum -a 256 "$@"; }
fetch openapi 23.0.2 71a18407dd5e8464f4e0525daf03deabbe65abd9287d6adc7b5d98f516cd0d0c \
    package/generated/api.github.com.json package/package.json
fetch fixtures 23.1.2 5a9b0221d7c18f593dc57b5f292e946e8cadfac2b0d4578b38d7e9bd63836c64 \
    package/scenarios package/package.json
fetch webhooks-examples 7.6.1 89e6cb1c6345d32e3dd775617fa54effbdc26c859e514898d7728e95e9738280 \
    package/api.github.com/index.json package/package.json
