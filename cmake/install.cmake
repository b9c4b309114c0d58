# see src/CMakeLists.txt for what is installed
