import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.Writer;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import javax.tools.*;

/**
 * Compiles files one by one, without annotation processors, and writes no class. Prints a line for each error: file, kind,
 * message, with tabs between them. The first argument is an empty folder, which is the class path.
 */
class Check {
    static final Pattern PACKAGE = Pattern.compile("^package\\s+([\\w.]+)\\s*;", Pattern.MULTILINE);

    static class Text extends SimpleJavaFileObject {
        final String text;

        Text(Path path) throws IOException {
            super(URI.create("string:///" + path.getFileName()), Kind.SOURCE);
            text = Files.readString(path, StandardCharsets.UTF_8);
        }

        @Override
        public CharSequence getCharContent(boolean ignored) {
            return text;
        }

        @Override
        public boolean isNameCompatible(String name, Kind kind) {
            return true;
        }
    }

    /** Says that all files belong to a module of Java itself, so that they see the names of their package. */
    static class Own extends ForwardingJavaFileManager<JavaFileManager> {
        final String module;

        Own(JavaFileManager files, String module) {
            super(files);
            this.module = module;
        }

        @Override
        public Location getLocationForModule(Location location, JavaFileObject file) throws IOException {
            return file instanceof Text ? getLocationForModule(location, module) : super.getLocationForModule(location, file);
        }
    }

    public static void main(String[] args) throws IOException {
        Map<String, String> own = new HashMap<>(); // the modules of Java's packages
        ModuleFinder.ofSystem().findAll().forEach(m -> m.descriptor().packages().forEach(p -> own.put(p, m.descriptor().name())));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of(
            "-proc:none", "-implicit:none", "-Xlint:none", "-Xmaxerrs", "10000", "-XDshould-stop.ifError=FLOW", "-cp", args[0], "-sourcepath", args[0]);
        for (String name : Arrays.asList(args).subList(1, args.length)) {
            DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
            Text text = new Text(Path.of(name));
            Matcher m = PACKAGE.matcher(text.text);
            String module = m.find() ? own.get(m.group(1)) : null;
            List<String> all = new ArrayList<>(options);
            if (module != null) {
                all.addAll(List.of("--patch-module", module + "=" + args[0]));
            }
            boolean parsed = false;
            try (StandardJavaFileManager files = compiler.getStandardFileManager(found, null, StandardCharsets.UTF_8)) {
                JavaFileManager manager = module == null ? files : new Own(files, module);
                JavacTask task = (JavacTask) compiler.getTask(Writer.nullWriter(), manager, found, all, null, List.of(text));
                task.parse();
                parsed = errors(found).isEmpty();
                if (parsed) {
                    task.analyze();
                }
            } catch (RuntimeException | StackOverflowError failure) {
                print(name, "failed", failure.toString());
                continue;
            }
            for (Diagnostic<?> d : errors(found)) {
                String[] lines = d.getMessage(Locale.ENGLISH).split("\\R");
                if (!parsed) {
                    print(name, "syntax", lines[0]);
                } else if (d.getCode().contains("cant.resolve") || d.getCode().contains("doesnt.exist")) {
                    print(name, "unknown", lines[0] + (lines.length > 1 ? " " + lines[1] : ""));
                } else {
                    print(name, d.getCode(), lines[0]);
                }
            }
        }
    }

    static List<Diagnostic<?>> errors(DiagnosticCollector<?> found) {
        List<Diagnostic<?>> out = new ArrayList<>(found.getDiagnostics());
        out.removeIf(d -> d.getKind() != Diagnostic.Kind.ERROR);
        return out;
    }

    static void print(String name, String kind, String message) {
        System.out.println(name + "\t" + kind + "\t" + String.join(" ", message.trim().split("\\s+")));
    }
}
