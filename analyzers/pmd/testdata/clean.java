package shop;

/** An amount in cents. */
public class Amount {
    private final int cents;

    public Amount(int cents) {
        this.cents = cents;
    }

    public int cents() {
        return cents;
    }
}
