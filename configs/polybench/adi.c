// T steps of alternating directions for the heat equation: tridiagonal systems along columns into v, then along rows
// into u; g and h are the constants 1 + 2 a and 1 + 2 d.

#pragma scop
for (int t = 1; t <= T; t++) {
  for (int i = 1; i < N - 1; i++) {
    v[0][i] = 1.0;
    p[i][0] = 0.0;
    q[i][0] = v[0][i];
    for (int j = 1; j < N - 1; j++) {
      p[i][j] = -c / (a * p[i][j - 1] + b);
      q[i][j] = (-d * u[j][i - 1] + h * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
    }
    v[N - 1][i] = 1.0;
    for (int j = N - 2; j >= 1; j--) v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
  }
  for (int i = 1; i < N - 1; i++) {
    u[i][0] = 1.0;
    p[i][0] = 0.0;
    q[i][0] = u[i][0];
    for (int j = 1; j < N - 1; j++) {
      p[i][j] = -f / (d * p[i][j - 1] + e);
      q[i][j] = (-a * v[i - 1][j] + g * v[i][j] - c * v[i + 1][j] - d * q[i][j - 1]) / (d * p[i][j - 1] + e);
    }
    u[i][N - 1] = 1.0;
    for (int j = N - 2; j >= 1; j--) u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
  }
}
#pragma endscop
