// A[r][q][p] = sum of A[r][q][s] * C4[s][p] over s, in place through a row.

#pragma scop
for (int r = 0; r < NR; r++)
  for (int q = 0; q < NQ; q++) {
    for (int p = 0; p < NP; p++) {
      row[p] = 0.0;
      for (int s = 0; s < NP; s++) row[p] += A[r][q][s] * C4[s][p];
    }
    for (int p = 0; p < NP; p++) A[r][q][p] = row[p];
  }
#pragma endscop
