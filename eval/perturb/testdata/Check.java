import java.io.*;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;

/** Compiles each file that standard input names, and prints a line for each diagnostic: file, tab, code. */
class Check {
    public static void main(String[] args) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String name; (name = in.readLine()) != null; ) {
            DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
            try (StandardJavaFileManager files = compiler.getStandardFileManager(found, null, null)) {
                List<String> options = new ArrayList<>(List.of("-proc:none", "-Xlint:none", "-d", args[0]));
                if (args.length > 1) {
                    options.addAll(List.of("--patch-module", args[1] + "=" + Path.of(name).getParent()));
                }
                compiler.getTask(Writer.nullWriter(), files, found, options, null, files.getJavaFileObjects(name)).call();
            }
            for (Diagnostic<?> d : found.getDiagnostics()) {
                if (d.getKind() == Diagnostic.Kind.ERROR) {
                    System.out.println(name + "\t" + d.getCode());
                }
            }
        }
    }
}
