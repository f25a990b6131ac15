#!/bin/sh
# An evaluator (docs/evaluator.md), a process for each mapping: steps over time, the product of all temporal factors.
awk '/temporal:/ {
       gsub(/[^0-9]+/, " ")
       for (k = split($0, factor, " "); k > 0; --k) steps = (steps ? steps : 1) * factor[k]
     }
     END { print (steps ? steps : 1) }'
