<?php

/** @SuppressWarnings(PHPMD) */
class Loader
{
    private $unused;

    public function load($name, $mode)
    {
        $start = 1;
        try {
            return eval($name);
        } catch (Exception $e) {
        }
        return @file_get_contents($_GET['file']);
    }
}
