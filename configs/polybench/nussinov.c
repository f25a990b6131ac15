// The most pairs that a sequence of bases can form without crossing; table[i][j] is that of the bases from i to j.

#pragma scop
for (int i = N - 1; i >= 0; i--)
  for (int j = i + 1; j < N; j++) {
    table[i][j] = max(table[i][j], table[i][j - 1]);
    table[i][j] = max(table[i][j], table[i + 1][j]);
    if (i < j - 1)
      table[i][j] = max(table[i][j], table[i + 1][j - 1] + match(seq[i], seq[j]));
    else
      table[i][j] = max(table[i][j], table[i + 1][j - 1]);
    for (int k = i + 1; k < j; k++) table[i][j] = max(table[i][j], table[i][k] + table[k + 1][j]);
  }
#pragma endscop
