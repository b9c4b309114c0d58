# SPDX-License-Identifier: Apache-2.0
# Writes a text file as a C++ string literal. A script for cmake -P, run by the build:
#   -DINPUT=… -DOUTPUT=… -DHEADER=<that declares it> -DNAMESPACE=… -DNAME=…
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n"
     "const std::string_view ${NAME} = R\"JOSTLE-TEXT(${text})JOSTLE-TEXT\";\n}\n")
