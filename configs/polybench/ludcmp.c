// Solves A * x = b: the factors of A in its place, through a sum; then L * y = b forwards and U * x = y backwards.

#pragma scop
for (int i = 0; i < N; i++) {
  for (int j = 0; j < i; j++) {
    w = A[i][j];
    for (int k = 0; k < j; k++) w -= A[i][k] * A[k][j];
    A[i][j] = w / A[j][j];
  }
  for (int j = i; j < N; j++) {
    w = A[i][j];
    for (int k = 0; k < i; k++) w -= A[i][k] * A[k][j];
    A[i][j] = w;
  }
}
for (int i = 0; i < N; i++) {
  w = b[i];
  for (int j = 0; j < i; j++) w -= A[i][j] * y[j];
  y[i] = w;
}
for (int i = N - 1; i >= 0; i--) {
  w = y[i];
  for (int j = i + 1; j < N; j++) w -= A[i][j] * x[j];
  x[i] = w / A[i][i];
}
#pragma endscop
