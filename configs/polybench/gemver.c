// B = A + u1 * transpose(v1) + u2 * transpose(v2), in place of A; x = beta * transpose(B) * y + z; w = alpha * B * x.

#pragma scop
for (int i = 0; i < N; i++)
  for (int j = 0; j < N; j++) A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
for (int i = 0; i < N; i++)
  for (int j = 0; j < N; j++) x[i] += beta * A[j][i] * y[j];
for (int i = 0; i < N; i++) x[i] += z[i];
for (int i = 0; i < N; i++)
  for (int j = 0; j < N; j++) w[i] += alpha * A[i][j] * x[j];
#pragma endscop
