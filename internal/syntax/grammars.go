//go:build !fewgrammars

package syntax

// Grammars ends the versions, in signatures, of everything that reads trees. It names the
// grammars that the build lacks: none.
const Grammars = ""

// rare lists the languages whose grammars are large and rarely needed.
var rare = []*Table{&kotlinTable, &scalaTable, &swiftTable}
