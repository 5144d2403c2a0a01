class Clean {
    private int total;

    int add(int price) {
        total += price;
        return total;
    }
}
