// Solves L * x = b by forward substitution, with L lower triangular.

#pragma scop
for (int i = 0; i < N; i++) {
  x[i] = b[i];
  for (int j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
  x[i] /= L[i][i];
}
#pragma endscop
