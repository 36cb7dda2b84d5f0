#include <doctest/doctest.h>

// The linker takes this function for a test program without a main() of its own.
int main(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
