package hostile

import (
	"fmt"
	"strings"

	"crscore/internal/lang"
)

// Language has the code of a language that shapes are made of.
type Language struct {
	// Lang is the language's name.
	Lang lang.Name
	// Words are keywords and operators.
	Words string
	// Function is a function, and Class a class of functions; %[1]d is the number and %s
	// the content.
	Function, Class string
	// If is a branch of a chain, Case a case of a switch, Import an import, Param a
	// parameter; %[1]d is the number.
	If, Case, Import, Param string
	// Comment begins a comment up to the end of the line.
	Comment string
}

const (
	cWords = "if else for while do switch case default break continue return struct enum union typedef static const void int char * & -> . , ; : ? ( ) { } [ ] = == + - < > # sizeof goto"
	jWords = "if else for while do switch case default break continue return class interface extends implements new this super try catch finally throw static final public private void int import package @ -> :: . , ; : ? ( ) { } [ ] = == + - < > instanceof"
	eWords = "if else for of in while do switch case default break continue return class extends new this super try catch finally throw static async await yield function let const var import export from => ... . , ; : ? ?. ?? ( ) { } [ ] = === + - < > / ` ${ typeof instanceof delete void"
	tWords = eWords + " interface type enum namespace declare abstract readonly keyof infer is as satisfies never unknown any | & <T> @"
)

// Languages are the languages with a grammar.
var Languages = []Language{
	{lang.Bash, "if then elif else fi for in do done while until case esac function { } ( ) (( )) [ ] [[ ]] $ ${ $( ` ; ;; & && | || < << <<< > >> ! = == # \" '", "f%[1]d() {\n  a=%[1]d\n  %s\n  echo \"$a\"\n}\n", "g%[1]d() {\n%s}\n", "elif [ $a = %[1]d ]; then b=%[1]d\n", "  %[1]d) echo a ;;\n", "source ./a%[1]d.sh\n", "a%[1]d=1", "#"},
	{lang.C, cWords, "int f%[1]d(int a) {\n  int b = a + %[1]d;\n  %s\n  return b;\n}\n", "struct s%[1]d {\n%s};\n", "else if (a == %[1]d) { b = %[1]d; }\n", "case %[1]d: b = a; break;\n", "#include \"a%[1]d.h\"\n", "int a%[1]d", "//"},
	{lang.Cpp, cWords + " class template <T> typename :: public: private: virtual operator new delete try catch throw auto namespace using && && constexpr [&] <=> co_await requires", "int f%[1]d(int a) {\n  auto b = a + %[1]d;\n  %s\n  return b;\n}\n", "class C%[1]d {\n public:\n%s};\n", "else if (a == %[1]d) { b = %[1]d; }\n", "case %[1]d: b = a; break;\n", "#include <a%[1]d>\n", "int a%[1]d", "//"},
	{lang.CSharp, jWords + " using namespace get set where var async await in out ref => ?? ?. $\" is as yield select from #if #endif", "int F%[1]d(int a) {\n  var b = a + %[1]d;\n  %s\n  return b;\n}\n", "class C%[1]d {\n%s}\n", "else if (a == %[1]d) { b = %[1]d; }\n", "case %[1]d: b = a; break;\n", "using A%[1]d;\n", "int a%[1]d", "//"},
	{lang.Go, "if else for range switch case default break continue return func type struct interface map chan go defer select var const package import fallthrough goto := <- . , ; : ( ) { } [ ] = == + - < > * & ... ~ `", "func f%[1]d(a int) int {\n\tb := a + %[1]d\n\t%s\n\treturn b\n}\n", "type t%[1]d struct{ a int }\n%s", "else if a == %[1]d { b = %[1]d }\n", "case %[1]d: b = a\n", "import \"a%[1]d\"\n", "a%[1]d int", "//"},
	{lang.Java, jWords, "int f%[1]d(int a) {\n  int b = a + %[1]d;\n  %s\n  return b;\n}\n", "class C%[1]d {\n%s}\n", "else if (a == %[1]d) { b = %[1]d; }\n", "case %[1]d: b = a; break;\n", "import a.A%[1]d;\n", "int a%[1]d", "//"},
	{lang.JavaScript, eWords, "function f%[1]d(a) {\n  let b = a + %[1]d;\n  %s\n  return b;\n}\n", "class C%[1]d {\n  m() {\n%s}}\n", "else if (a == %[1]d) { b = %[1]d; }\n", "case %[1]d: b = a; break;\n", "import a%[1]d from 'a';\n", "a%[1]d", "//"},
	{lang.Kotlin, "if else for in while do when is as try catch finally throw return fun val var class object interface companion data sealed override suspend by get set where import package -> :: . ?. ?: !! , ; : ( ) { } [ ] = == + - < > @ $ ${ \"\"\" .. it", "fun f%[1]d(a: Int): Int {\n  val b = a + %[1]d\n  %s\n  return b\n}\n", "class C%[1]d {\n%s}\n", "else if (a == %[1]d) { b = %[1]d }\n", "%[1]d -> a\n", "import a.A%[1]d\n", "a%[1]d: Int", "//"},
	{lang.PHP, "<?php ?> if else elseif for foreach as while do switch case default break continue return function fn class interface trait extends implements use new $this try catch finally throw static public private echo => -> :: . , ; : ? ?? ( ) { } [ ] = === + - < > $ & @ \" ' <<<EOT #[ match namespace endif", "function f%[1]d($a) {\n  $b = $a + %[1]d;\n  %s\n  return $b;\n}\n", "class C%[1]d {\n%s}\n", "elseif ($a == %[1]d) { $b = %[1]d; }\n", "case %[1]d: $b = $a; break;\n", "use A\\A%[1]d;\n", "$a%[1]d", "//"},
	{lang.Python, "if elif else for in while try except finally raise return def class lambda with as import from global nonlocal pass break continue yield async await not and or is del assert match case : , . ( ) { } [ ] = == := + - * ** < > @ -> \" ' \"\"\" f\" \\ ;", "def f%[1]d(a):\n    b = a + %[1]d\n    %s\n    return b\n", "class C%[1]d:\n    x = 1\n%s", "    elif a == %[1]d: b = %[1]d\n", "        case %[1]d: b = a\n", "import a%[1]d\n", "a%[1]d", "#"},
	{lang.Ruby, "if elsif else unless case when while until for in do end def class module begin rescue ensure raise return yield self super lambda -> proc attr_accessor require { } ( ) [ ] | & . , ; : :: ? = == => =~ + - < << <<~EOS > @ @@ $ # #{ \" ' ` %w( / and or not then", "def f%[1]d(a)\n  b = a + %[1]d\n  %s\n  b\nend\n", "class C%[1]d\n%send\n", "elsif a == %[1]d\n b = %[1]d\n", "when %[1]d then b = a\n", "require 'a%[1]d'\n", "a%[1]d", "#"},
	{lang.Rust, "if else for in while loop match break continue return fn let mut const static struct enum trait impl where type use mod pub crate self super as ref move async await dyn unsafe extern macro_rules! ! ? -> => :: . .. ..= , ; : ( ) { } [ ] = == + - < > & && * | || # #[ ' 'a r#\" b'", "fn f%[1]d(a: i32) -> i32 {\n  let b = a + %[1]d;\n  %s\n  b\n}\n", "impl C%[1]d {\n%s}\n", "else if a == %[1]d { b = %[1]d; }\n", "%[1]d => a,\n", "use a::a%[1]d;\n", "a%[1]d: i32", "//"},
	{lang.Scala, "if else for yield while do match case try catch finally throw return def val var class object trait extends with new this super given using implicit lazy override type import package => <- -> <: >: :: . , ; : _ ( ) { } [ ] = == + - < > @ # $ ${ s\" \"\"\" then end enum", "def f%[1]d(a: Int): Int = {\n  val b = a + %[1]d\n  %s\n  b\n}\n", "class C%[1]d {\n%s}\n", "else if (a == %[1]d) { b = %[1]d }\n", "case %[1]d => a\n", "import a.A%[1]d\n", "a%[1]d: Int", "//"},
	{lang.Swift, "if else for in while repeat switch case default break continue fallthrough return func let var class struct enum protocol extension init deinit self super guard defer do try try? catch throw throws async await where is as as? import inout some any -> => . ?. ?? ! , ; : ( ) { } [ ] = == + - < > & @ # #if #endif #\" \\( \" \"\"\" $0 _ ...", "func f%[1]d(a: Int) -> Int {\n  let b = a + %[1]d\n  %s\n  return b\n}\n", "class C%[1]d {\n%s}\n", "else if a == %[1]d { b = %[1]d }\n", "case %[1]d: b = a\n", "import A%[1]d\n", "a%[1]d: Int", "//"},
	{lang.TSX, tWords + " <div> </div> <a b={ /> <> </> {/*", "function F%[1]d(a: number) {\n  const b = a + %[1]d;\n  %s\n  return <p id=\"a\">{b}</p>;\n}\n", "class C%[1]d {\n  m() {\n%s}}\n", "else if (a === %[1]d) { b = %[1]d; }\n", "case %[1]d: b = a; break;\n", "import { a%[1]d } from 'a';\n", "a%[1]d: number", "//"},
	{lang.TypeScript, tWords, "function f%[1]d(a: number): number {\n  const b = a + %[1]d;\n  %s\n  return b;\n}\n", "class C%[1]d {\n  m() {\n%s}}\n", "else if (a === %[1]d) { b = %[1]d; }\n", "case %[1]d: b = a; break;\n", "import { a%[1]d } from 'a';\n", "a%[1]d: number", "//"},
}

// around fills a number and a content into a template.
func around(template string, number int, inside string) string {
	head, tail, _ := strings.Cut(template, "%s")
	return numbered(head, number) + inside + numbered(tail, number)
}

// numbered fills a number into a template.
func numbered(template string, number int) string {
	return strings.ReplaceAll(template, "%[1]d", fmt.Sprint(number))
}

// Sample is a text with every kind of code above.
func (t *Language) Sample() string {
	part := func(item string, n int) string {
		return many(n*len(item), func(i int) string { return numbered(item, i) })
	}
	inside := "if (a == 0) { b = \"none\"; }\n" + part(t.If, 2) + t.Comment + " of a\n" + "switch (a) {\n" + part(t.Case, 3) + "}\n"
	return part(t.Import, 3) + around(t.Class, 1, around(t.Function, 1, inside)+around(t.Function, 2, "")) + around(t.Function, 3, "")
}

// many joins numbered texts up to a size.
func many(size int, text func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(text(i))
	}
	return b.String()
}
