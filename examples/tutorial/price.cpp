#include <iostream>
#include <troupe/predictor.hpp>

int main() {
  const troupe::Predictor predictor{"houses.safetensors"};
  const troupe::Row house{{"area", 120}, {"rooms", 4}, {"age", 10}, {"district", "hills"}};
  std::cout << predictor.predict(house)[0] << '\n';
}
