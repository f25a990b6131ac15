// The lengths of the shortest paths between all of N places; after step k paths may pass through places up to k.

#pragma scop
for (int k = 0; k < N; k++)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) d[i][j] = min(d[i][j], d[i][k] + d[k][j]);
#pragma endscop
