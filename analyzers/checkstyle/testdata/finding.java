import java.util.List;

class Finding {
    public int total;

    int add(int price) {
        try {
            total += price;
        } catch (Exception e) {
        }
        return total;
    }
}
