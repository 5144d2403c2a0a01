//go:build fewgrammars

package syntax

import "crscore/internal/lang"

// Grammars ends the versions, in signatures, of everything that reads trees. It names the
// grammars that the build lacks.
const Grammars = string("-without-" + lang.Kotlin + "-" + lang.Scala + "-" + lang.Swift)

// rare has the languages whose grammars are large and rarely needed: none.
var rare []*Table
