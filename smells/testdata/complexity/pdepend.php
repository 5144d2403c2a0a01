<?php
// The numbers behind "=" are those of phpmd 2.13's CyclomaticComplexity with
// reportLevel 1, for the functions and methods that begin on the line.

function operators($a, $b = true || false) { // = 12
    if ($a && $b or $a) return 1;
    elseif ($a || $b) return 2;
    else if ($a and $b) return 3;
    for ($i = 0; $i < 2; $i++) { }
    foreach ([1] as $k => $v): endforeach;
    while ($a): endwhile;
    do { } while ($b);
    return $a;
}

function branches($a) { // = 7
    switch ($a) { case 1: case 2: break; default: }
    try { throw new Exception(); } catch (Error $e) { } catch (Exception $e) { } finally { }
    $x = $a ? 1 : 2;
    $y = $a ?: 2;
    $z = $a ?? 3;
    return $x xor $y;
}

abstract class Shape
{
    #[Attribute]
    public function drawn(): bool { return $this->a && $this->b; } // = 2

    abstract function area(); // = 1

    public static function callbacks($list) // = 4
    {
        usort($list, function ($a, $b) { return $a && $b ? 1 : 2; });
        return array_map(fn($x) => $x ?: 1, $list);
    }
}
