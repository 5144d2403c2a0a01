// Package packaging tests what stands around the command: install.sh, the GitHub Action, the
// pre-commit hooks, the image, the configuration and the workflows of releases, and the
// examples of docs/ci.md and docs/install.md. The tests run these files
// unchanged, with the programs that .ci/packaging installs. The package has no code of its
// own.
package packaging
