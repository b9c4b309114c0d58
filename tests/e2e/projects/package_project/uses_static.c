int count(void);

int main(void) { return count() - 1; }
