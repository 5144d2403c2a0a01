package program;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.IntUnaryOperator;

public class Program {
    private int size = 1;
    private final String name;

    enum Kind { SMALL, BIG; int weight() { return ordinal() * 2; } }

    static class Parent {
        int shared = 99;
    }

    Program(String name) {
        this(name, 3);
    }

    Program(String name, int size) {
        super();
        this.name = name;
        this.size = size;
    }

    String branches(int n) throws java.io.IOException {
        final String label;
        if (n > 2 && n != 7) {
            label = "big";
        } else {
            label = "small";
        }
        if (n == 0) {
            return "zero";
        } else if (n < 0) {
            throw new java.io.IOException("negative");
        } else {
            size += n;
        }
        Object o = n > 4 ? (Object) label : n;
        if (o instanceof String s) {
            return s + size;
        } else {
            return "no string " + o;
        }
    }

    int swapped(int first) {
        int before = count();
        int after = 0;
        int width = first;
        int height = 3;
        int area = width * height;
        height = 4;
        return before + after + area * height;
    }

    int count() {
        return ++size;
    }

    static byte narrow() {
        final byte b = 10;
        return b;
    }

    <T extends Comparable<T>> T most(List<? extends T> all) {
        T best = null;
        for (T one : all) {
            if (best == null || one.compareTo(best) > 0) {
                best = one;
            }
        }
        return best;
    }

    int shadows(final int shared) {
        int local = shared + 1;
        Parent inner = new Parent() {
            int get(int x) {
                int y = x + shared;
                return y;
            }

            @Override public String toString() {
                return "inner " + get(local);
            }
        };
        IntUnaryOperator twice = (x) -> {
            int result = x * 2;
            return result + local;
        };
        return inner.toString().length() + twice.applyAsInt(inner.shared);
    }

    String loops(Kind kind) {
        StringBuilder out = new StringBuilder();
        outer:
        for (int i = 0, k = 5; i < k; i++) {
            for (int size : new int[] {1, 2, 3}) {
                if (size == i) {
                    continue outer;
                } else {
                    out.append(size).append(this.size);
                }
                if (i > 3) {
                    break outer;
                }
            }
        }
        switch (kind) {
            case SMALL:
                int weight = kind.weight();
                out.append(weight);
            case BIG:
                weight = 7;
                out.append(weight);
        }
        try (AutoCloseable resource = () -> out.append("closed")) {
            out.append(resource != null);
        } catch (Exception failure) {
            out.append(failure);
        } finally {
            String done = "done";
            out.append(done);
        }
        return out.toString();
    }

    static String caught(Callable<String> task) {
        try {
            return task.call();
        } catch (RuntimeException e) {
            return "runtime " + e.getMessage();
        } catch (Exception e) {
            String message = e.getMessage();
            return message;
        }
    }

    record Point(int x, int y) {
        Point {
            if (x < 0) {
                throw new IllegalArgumentException("x");
            }
        }

        Point(int x) {
            this(x, x);
        }

        int sum() {
            int sum = x + y;
            return sum;
        }
    }

    public static void main(String[] args) throws Exception {
        Program p = new Program("p");
        List<String> said = new ArrayList<>();
        for (int n = -1; n < 9; n++) {
            final int k = n;
            said.add(caught(() -> p.branches(k)));
        }
        System.out.println(said + p.name + p.swapped(4) + narrow() + p.most(List.of(3, 9, 2)));
        System.out.println(p.shadows(5) + p.loops(Kind.SMALL) + p.loops(Kind.BIG) + new Point(4).sum());
        System.out.println(caught(() -> "" + new Point(-1, 2)));
    }
}
