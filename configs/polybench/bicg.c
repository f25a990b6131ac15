// s = transpose(A) * r and q = A * p, with A of N x M: the two products of the biconjugate gradient method.

#pragma scop
for (int j = 0; j < M; j++) s[j] = 0.0;
for (int i = 0; i < N; i++) {
  q[i] = 0.0;
  for (int j = 0; j < M; j++) {
    s[j] += r[i] * A[i][j];
    q[i] += A[i][j] * p[j];
  }
}
#pragma endscop
