<?php

class Basket
{
    private array $prices;

    public function __construct(array $prices)
    {
        $this->prices = $prices;
    }

    public function total(): int
    {
        return array_sum($this->prices);
    }
}
