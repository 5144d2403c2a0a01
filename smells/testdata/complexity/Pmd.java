// The numbers behind "=" are those of PMD 7.28's CyclomaticComplexity with
// methodReportLevel 1, for the methods and constructors that begin on the line.
import java.util.function.*;

class Pmd {
  int operators(int a, int b) { // = 12
    boolean q = a > 1 && b > 2; // not in a condition
    if (a > 1 && b > 1 || q) return 1;
    for (int i = 0; i < a && q; i++) { }
    for (int x : new int[0]) { }
    while (q || a > 1) { }
    do { } while (q);
    return q && a > 1 ? 1 : 2;
  }

  int switches(int a) { // = 7
    switch (a) { case 1: case 2: return 1; case 3: break; default: return 0; }
    int r = switch (a) { case 1, 2 -> 3; case 4 -> { yield 2; } default -> 0; };
    return r;
  }

  int patterns(Object o) { // = 1
    return switch (o) { case Integer i when i > 1 && i < 3 -> 1; case null, default -> 2; };
  }

  void lambdas() { // = 2
    Runnable r = () -> { if (true) { if (false) { } } };
    Function<Integer, Boolean> g = x -> x > 1 && x < 3;
    if (true) { }
  }

  Predicate<Integer> lambdaInCondition(int a) { // = 2
    while (((Supplier<Boolean>) () -> a > 1 && a < 3).get()) { }
    return null;
  }

  void classesInside() { // = 2
    new Object() {
      int field = true ? 1 : 2;
      void inner() { if (true) {} if (true) {} } // = 3
    };
    class Local {
      void method() { if (true) {} } // = 2
    }
    throw new RuntimeException();
  }

  void classInCondition(boolean a, boolean b) { // = 3
    if (a && new Object() {
      boolean m() { return a && b; } // = 1
    }.m()) { }
  }

  void exceptions() { // = 3
    try { } catch (RuntimeException e) { } catch (Error e) { } finally { }
    assert true && false;
    synchronized (this) { }
  }

  int conditionals(boolean a, boolean b, boolean c) { // = 17
    if (a ? b : c) return 1;
    if (a && (b && c ? a : b)) return 2;
    if ((a ? b : (c ? a : b))) return 3;
    return 0;
  }

  @Deprecated
  Pmd() { if (true) {} } // = 2
  Pmd(int x) { } // = 1

  static { if (true) {} }

  record R(int a) {
    int m() { return a > 1 ? 1 : 2; } // = 2
  }
  enum E {
    X { void p() { if (true) {} } }; // = 2
    void p() {} // = 1
  }
  interface I {
    default void d() { if (true) {} } // = 2
    void e(); // = 1
  }
}
