#include "actors/node/memberships.hpp"

#include <random>

namespace troupe {

std::string Memberships::new_token() {
  std::string token;
  std::random_device random;
  for (std::size_t i = 0; i < Token{}.size(); ++i) token.push_back(static_cast<char>(random()));
  return token;
}

}  // namespace troupe
