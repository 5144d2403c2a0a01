// Package packaging tests what stands around the command in the root of the
// repository: the GitHub Action, the hook of pre-commit, the image and the
// configuration of releases, and the examples of docs/ci.md. They are run as they
// stand, by the programs that .ci/packaging installs. No code of the command may
// come in.
package packaging
