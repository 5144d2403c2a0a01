package smells

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// Classes that hang on too many others.

// shotgunSurgery counts the other classes that a class makes or calls by name, without
// classes of libraries. The classes of one hierarchy are one place to change. Factories and
// modules exist to know many classes, and are left out.
func shotgunSurgery(v *visitor, n *syntax.Node) {
	m := v.members(n)
	if m == nil || m.tests || len(m.calls) <= v.limits[v.rule] || assembler.MatchString(v.classTitle(n)) || !v.ended(n) {
		return
	}
	base := v.extends(n)
	some := slices.DeleteFunc(slices.Sorted(maps.Keys(m.calls)), func(name string) bool { return v.foreign(m.calls[name], name, base) })
	families := map[string]bool{}
	for _, name := range some {
		families[family(name)] = true
	}
	if len(families) <= v.limits[v.rule] {
		return
	}
	shown := "`" + strings.Join(some[:2], "`, `") + "`, ..."
	name := v.className(n)
	v.measured(n, name, len(some), fill{"class": name, "classes": shown})
}

var (
	// prefix matches the start of the names of a family.
	prefix = regexp.MustCompile(`^(?:[A-Z]{2,}|T|I)[A-Z][a-z]`)
	// hierarchy matches the common end of the names in a hierarchy, of which the caller
	// chooses one class.
	hierarchy = regexp.MustCompile(`(?:[A-Z][a-z0-9]*|^\w[a-z0-9_]*)$`)
	// serving ends the names of classes that have nothing else in common.
	serving = regexp.MustCompile(`(?:Service|Manager|Controller|Repository|Client|Processor|Dao|Gateway|Store|Provider|Validator|Logger|Notifier|Registry|Api)$`)
	// assembler is the name of a class that puts others together.
	assembler = regexp.MustCompile(`(?:Factory|Module|Bootstrap|Configuration|Provider|Visitor)$`)
	// helper is the name of a class that holds nothing but values or functions, or is
	// a part of a window.
	helper = regexp.MustCompile(`(?:^|[a-z])(?:Utils?|Utilit(?:y|ies)|Constants?|Consts|Messages?|I18n|Assert|Config|Configuration|Settings|Options|Empty)$|[a-z](?:Button|Label|Dialog|Icon|Menu|MenuItem|Layout|Edit|Box)$|^(?:BadRequest|NotFound|Forbidden|Unauthorized|Conflict)$`)
	// toolkit matches the name of a class of a library for windows.
	toolkit = regexp.MustCompile(`^(?:Q[A-Z][a-z]|Wx|Gtk|Gdk|GLib|Gio|Pango|GObject|J(?:Frame|Panel|Label|Button|Dialog|Menu|MenuItem|Table|TextField|TextArea|ScrollPane|CheckBox|ComboBox|OptionPane|SplitPane|Tree|List)$)`)
	// static is the name of a class of C# that is called, and no property.
	static = regexp.MustCompile(`(?:Helper|Factory|Manager|Service|Provider|Registry|Builder|Repository|Converter|Parser|Reader|Writer|Extensions|Handler|Cache|Store|Logic)s?$`)
)

// family returns the common part of the names of classes that are alike for their users.
func family(name string) string {
	if p := prefix.FindString(name); p != "" {
		return p[:len(p)-2]
	}
	if role := hierarchy.FindString(name); role != "" && !serving.MatchString(role) {
		return role
	}
	return name
}

// foreign reports whether a called class belongs to another project, as far as the file
// shows, or is no dependency. head is the first word of the call. base says that the caller
// has a base class.
func (v *visitor) foreign(head, name string, base bool) bool {
	if libraryClasses[name] || libraryClasses[head] || ownLibrary[v.lang][name] || ownLibrary[v.lang][head] || helper.MatchString(name) {
		return true
	}
	im := v.importedClasses()
	switch v.lang {
	case lang.Java:
		return im.library[head] || im.library[name] || toolkit.MatchString(name)
	case lang.Python:
		return im.library[head] || toolkit.MatchString(name)
	case lang.JavaScript, lang.TypeScript, lang.TSX:
		return im.library[head] || im.any && !im.own[head] && !v.declares(head)
	case lang.PHP:
		if rest, ok := strings.CutPrefix(head, `\`); ok {
			return im.root != "" && rest != im.root
		}
		return im.library[head]
	case lang.Rust:
		switch head {
		case "crate", "super":
			return false
		}
		return im.library[head] || head != name && head != "" && head[0] >= 'a' && !im.own[head]
	case lang.CSharp:
		return head[0] >= 'a' || head == "System" || head == "Microsoft" || base && !static.MatchString(name) && !v.made(name)
	case lang.Cpp:
		return head == "std" || head == "boost" || toolkit.MatchString(name)
	}
	return false
}

// made reports whether the file makes an object of a class.
func (v *visitor) made(name string) bool {
	return bytes.Contains(v.f.Source, []byte("new "+name+"("))
}

// declares reports whether the file declares a class.
func (v *visitor) declares(name string) bool {
	im := v.importedClasses()
	if im.declared == nil {
		im.declared = map[string]bool{}
		for _, m := range declaration.FindAllSubmatchIndex(v.f.Source, -1) {
			im.declared[string(v.f.Source[m[2]:m[3]])] = true
		}
	}
	return im.declared[name]
}

var declaration = regexp.MustCompile(`\b(?:class|function|const|let|var|namespace)\s+([A-Z]\w*)`)

// classImports are the names that a file imports.
type classImports struct {
	// own are the names of the same project, library the names of other projects.
	own, library map[string]bool
	// any says that there is an import. root is the beginning of the project's names.
	any      bool
	root     string
	declared map[string]bool // see declares
}

var (
	packageOf = regexp.MustCompile(`(?m)^\s*(?:package|namespace)\s+([\w.\\]+)\s*[;{]`)
	// host is the begin of a package that many projects share.
	host     = regexp.MustCompile(`^(?:org\.apache|org\.eclipse|com\.google|com\.github|com\.microsoft|io\.github|net\.sourceforge|org\.codehaus)\.`)
	ecmaFrom = regexp.MustCompile(`(?:import|export)\s+(?:type\s+)?([^'";]*?)\s*from\s*['"]([^'"]+)['"]|(?:const|let|var|import)\s+([\w{},:\s]+?)\s*=\s*require\(\s*['"]([^'"]+)['"]\s*\)`)
	// ownPath is where a module of the same project is imported from.
	ownPath      = regexp.MustCompile(`^(?:\.|/|~|#|@/|src/|app/|lib/)`)
	importedName = regexp.MustCompile(`[\w$]+`)
)

// importedClasses reads the imports of the file.
func (v *visitor) importedClasses() *classImports {
	if v.imports != nil {
		return v.imports
	}
	im := &classImports{own: map[string]bool{}, library: map[string]bool{}}
	v.imports = im
	switch v.lang {
	case lang.JavaScript, lang.TypeScript, lang.TSX:
		v.ecmaImports(im)
		return im
	case lang.Java, lang.PHP:
		if m := packageOf.FindSubmatch(v.f.Source); m != nil {
			im.root = string(m[1])
		}
	}
	for _, c := range v.parts(v.nodes.Root()) {
		if c.kind.role != syntax.Import && !strings.HasPrefix(c.kind.name, "use_") && c.kind.name != "namespace_use_declaration" || c.EndByte()-c.StartByte() > limits.ImportBytes {
			continue
		}
		im.any = true
		im.add(v.lang, string(v.f.Source[c.StartByte():c.EndByte()]))
	}
	return im
}

func (v *visitor) ecmaImports(im *classImports) {
	for _, m := range ecmaFrom.FindAllSubmatchIndex(v.f.Source, -1) {
		names, from := m[2:4], m[4:6]
		if names[0] < 0 {
			names, from = m[6:8], m[8:10]
		}
		into := im.library
		if ownPath.Match(v.f.Source[from[0]:from[1]]) {
			into = im.own
		}
		im.any = true
		for _, w := range importedName.FindAll(v.f.Source[names[0]:names[1]], -1) {
			into[string(w)] = true
		}
	}
}

// add records the names of an import of Java, PHP, Python or Rust.
func (im *classImports) add(l lang.Name, text string) {
	names := importedName.FindAllString(text, -1)
	own := true
	switch l {
	case lang.Java:
		path := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(text, "import "), "static "))
		parts := strings.Split(im.root, ".")
		n := 2
		if host.MatchString(im.root) {
			n = 3
		}
		own = im.root == "" || strings.HasPrefix(path, strings.Join(parts[:min(n, len(parts))], ".")+".")
		own = own && !slices.ContainsFunc(libraryPackages, func(p string) bool { return strings.HasPrefix(text, p) })
	case lang.PHP:
		root, _, _ := strings.Cut(im.root, `\`)
		own = root == "" || len(names) > 1 && names[1] == root
		im.root = im.root[:len(root)]
	case lang.Python:
		first := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(text, "import "), "from "), " ")
		own = strings.HasPrefix(first, ".") || !pythonLibraries[first[:wordEnd([]byte(first))]]
	case lang.Rust:
		own = slices.ContainsFunc(names[:min(len(names), 3)], func(w string) bool { return w == "crate" || w == "super" || w == "self" })
	}
	for _, name := range names {
		if own {
			im.own[name] = true
		} else {
			im.library[name] = true
		}
	}
}

// libraryClasses come with the languages, and change with nobody's design.
var libraryClasses = kinds("Array", "ArrayList", "Arrays", "Arc", "Boolean", "Box", "Buffer", "Byte", "BytesIO", "Character", "Class", "Collections", "Collectors",
	"Console", "Convert", "Counter", "Date", "DateTime", "Decimal", "Dictionary", "Dir", "Double", "Encoding", "Enum", "Environment", "Err", "File", "FileUtils", "Files", "Float", "Guid",
	"Hash", "HashMap", "HashSet", "IO", "Integer", "Iterator", "Iterable", "JSON", "Kernel", "LinkedHashMap", "LinkedHashSet", "LinkedList", "List", "Lists", "Locale", "Log", "Logger",
	"LoggerFactory", "Long", "Map", "Maps", "Math", "Mutex", "None", "Number", "Object", "Objects", "Ok", "Optional", "OrderedDict", "Path", "Pathname", "Paths", "Pattern", "Process",
	"Promise", "Proc", "Queue", "Rc", "Reflection", "RegExp", "Regex", "Regexp", "RefCell", "Runnable", "Self", "Set", "Sets", "Short", "Some", "Stack", "Stream", "String", "StringBuffer",
	"StringBuilder", "StringIO", "Struct", "Symbol", "System", "Task", "Tempfile", "Thread", "Throwable", "Time", "TimeSpan", "TreeMap", "TreeSet", "Type", "Uri", "UUID", "Vec", "Vector",
	"WeakMap", "WeakSet", "YAML")

// ownLibrary holds the classes of one language's library. Other languages may use these
// names for other classes.
var ownLibrary = map[lang.Name]map[string]bool{
	lang.Java: kinds("ClassLoader", "Package", "ProcessBuilder", "Runtime", "StackTraceElement", "ThreadGroup", "ThreadLocal"),
	lang.CSharp: kinds("Activator", "AppDomain", "ArrayPool", "Assembly", "AutoResetEvent", "BinaryReader", "BinaryWriter", "BitConverter", "Bitmap", "Brush", "Button", "CancellationTokenSource", "CheckBox",
		"Color", "ComboBox", "ConcurrentBag", "ConcurrentDictionary", "ConcurrentQueue", "ContextMenu", "CultureInfo", "Cursor", "DataColumn", "DataRow", "DataSet", "DataTable", "DateTimeOffset",
		"Debug", "Directory", "DirectoryInfo", "EventArgs", "EventHandler", "Expression", "FileInfo", "FileStream", "FileVersionInfo", "Font", "Form", "Graphics", "Hashtable", "HttpClient", "AmbientProperties", "BinaryClientFormatterSinkProvider", "BinaryServerFormatterSinkProvider", "ChannelServices", "RemotingConfiguration", "RemotingServices", "TcpChannel", "Icon",
		"ImageList", "IntPtr", "Interlocked", "Lazy", "LinearGradientBrush", "ListView", "ListViewItem", "ManualResetEvent", "Marshal", "MemoryStream", "MenuItem", "MessageBox", "Monitor",
		"NameValueCollection", "Padding", "Panel", "Pen", "Point", "PointF", "ProcessStartInfo", "PropertyChangedEventArgs", "Random", "Rectangle", "RectangleF", "Registry", "SemaphoreSlim", "Size",
		"SizeF", "Socket", "SolidBrush", "SortedDictionary", "SortedList", "StackFrame", "StackTrace", "Stopwatch", "StreamReader", "StreamWriter", "StringComparer", "StringFormat", "StringReader",
		"StringWriter", "TaskCompletionSource", "TextBox", "ThreadPool", "ThreadStart", "Timer", "ToolStripMenuItem", "ToolTip", "Trace", "TreeNode", "Tuple", "Version", "WebClient", "XAttribute",
		"XDocument", "XElement", "XName", "XNamespace", "XmlConvert", "XmlDocument", "XmlNamespaceManager", "XmlReader", "XmlSerializer", "XmlTextReader", "XmlTextWriter", "XmlWriter", "XmlWriterSettings"),
	lang.PHP: kinds("ArrayIterator", "ArrayObject", "Closure", "Collator", "DateInterval", "DateTimeImmutable", "DirectoryIterator", "RecursiveDirectoryIterator", "DateTimeZone", "DOMDocument", "DOMXPath", "Generator", "IntlDateFormatter", "NumberFormatter",
		"ReflectionClass", "ReflectionMethod", "ReflectionProperty", "SimpleXMLElement", "SplFileInfo", "SplObjectStorage", "SplQueue", "SplStack", "ZipArchive"),
	lang.Ruby: kinds("ActiveModel", "ActiveRecord", "ActiveSupport", "ActionController", "ActionDispatch", "ActionView", "Arel", "Base64", "Benchmark", "Bundler", "Comparable", "Complex", "ConditionVariable",
		"Digest", "Etc", "Forwardable", "Gem", "Marshal", "Method", "Module", "Net", "Nokogiri", "Open3", "OpenSSL", "OpenStruct", "OptionParser", "Google", "Addressable", "ChildProcess", "RbConfig", "Rack", "Rails", "Range", "Rational", "SecureRandom",
		"Shellwords", "Signal", "Socket", "StringScanner", "TCPSocket", "Timeout", "Zlib"),
	lang.Rust: kinds("AtomicBool", "AtomicUsize", "BTreeMap", "BTreeSet", "Command", "Cow", "Default", "Duration", "From", "Instant", "Into", "OsString", "PathBuf", "PhantomData", "RwLock", "VecDeque"),
}

// libraryPackages hold the classes of Java's library, of its platforms, and of packages
// that most projects use like a library of the language.
var libraryPackages = []string{"import java.", "import javax.", "import javafx.", "import android.", "import androidx.",
	"import com.google.common.", "import org.apache.commons.", "import org.slf4j."}

// pythonLibraries are the packages of Python's library, and packages that programs are
// built on.
var pythonLibraries = kinds("abc", "argparse", "array", "ast", "asyncio", "base64", "bisect", "bz2", "calendar", "cgi", "cmd", "code", "codecs", "collections", "concurrent", "configparser",
	"contextlib", "copy", "csv", "ctypes", "curses", "dataclasses", "datetime", "dbm", "decimal", "difflib", "dis", "distutils", "email", "enum", "errno", "fnmatch", "fractions",
	"ftplib", "functools", "gc", "getpass", "gettext", "glob", "gzip", "hashlib", "heapq", "hmac", "html", "http", "imaplib", "importlib", "inspect", "io", "ipaddress", "itertools", "json",
	"logging", "lzma", "mailbox", "math", "mimetypes", "multiprocessing", "numbers", "operator", "optparse", "os", "pathlib", "pickle", "platform", "plistlib", "poplib", "pprint", "profile",
	"pstats", "queue", "random", "re", "readline", "sched", "secrets", "select", "selectors", "shelve", "shlex", "shutil", "signal", "smtplib", "socket", "socketserver", "sqlite3", "ssl",
	"statistics", "string", "struct", "subprocess", "sys", "tarfile", "telnetlib", "tempfile", "textwrap", "threading", "time", "timeit", "tkinter", "tokenize", "traceback", "types", "typing",
	"typing_extensions", "unittest", "urllib", "urlparse", "urllib2", "uuid", "warnings", "weakref", "wsgiref", "xml", "xmlrpc", "zipfile", "zlib", "zoneinfo",
	"aiohttp", "attr", "boto3", "botocore", "bs4", "celery", "click", "cryptography", "dateutil", "django", "docker", "docutils", "fastapi", "flask", "gevent", "gi", "google", "gtk", "jinja2",
	"jsonschema", "keras", "kivy", "kubernetes", "lxml", "markdown", "marshmallow", "matplotlib", "mock", "networkx", "nose", "numpy", "packaging", "pandas", "paramiko", "peewee", "PIL",
	"psutil", "pydantic", "pygame", "pygments", "PyQt4", "PyQt5", "PyQt6", "PySide", "PySide2", "PySide6", "pytest", "pytz", "qtpy", "redis", "requests", "rest_framework", "rich", "scipy",
	"six", "sklearn", "sqlalchemy", "starlette", "tensorflow", "torch", "tornado", "tqdm", "twisted", "urllib3", "uvicorn", "werkzeug", "wx", "yaml", "zmq", "zope")

// calledClass returns the name of the class that a call makes, or whose method it calls, as
// far as the spelling shows: a capital letter, then small letters. head is the first word
// of the call.
func (v *visitor) calledClass(n *syntax.Node, made bool) (head, name string) {
	text := v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+2*quotedBytes)]
	if made {
		text = bytes.TrimLeft(bytes.TrimPrefix(bytes.TrimPrefix(text, []byte("new")), []byte("(")), " \n\t")
	}
	if bytes.HasPrefix(text, []byte(`\`)) {
		text, head = text[1:], `\`
	}
	for first := true; ; first = false {
		end := wordEnd(text)
		word := text[:end]
		if end == 0 || end == len(text) {
			return "", ""
		}
		switch string(word) {
		case "self", "this", "super", "cls", "base", "parent", "static", "$this":
			return "", ""
		}
		if first {
			head += string(word)
		}
		text = text[end:]
		last := text[0] != '.' && text[0] != ':' && text[0] != '\\' // the function itself
		if classLike(word) && (!last || made || v.lang == lang.Python && first) {
			name = string(word)
		}
		qualified := text[0] == '\\' || text[0] == ':' && v.lang == lang.Ruby
		if last || name != "" && !qualified {
			break
		}
		text = bytes.TrimLeft(text, ".:\\?")
	}
	if libraryClasses[name] || strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Warning") {
		return "", ""
	}
	return head, name
}

// classLike reports whether a word is written as a class is.
func classLike(word []byte) bool {
	return len(word) > 1 && word[0] >= 'A' && word[0] <= 'Z' && bytes.ContainsFunc(word, func(r rune) bool { return r >= 'a' && r <= 'z' })
}
