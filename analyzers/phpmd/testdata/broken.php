<?php

function total($prices)
{
    return array_sum($prices;
}
