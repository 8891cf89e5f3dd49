/** The 80 kinds of things of COCO in Spanish; written for Adit. */
export default `source,target
person,persona
bicycle,bicicleta
car,coche
motorcycle,moto
airplane,avión
bus,autobús
train,tren
truck,camión
boat,barco
traffic light,semáforo
fire hydrant,boca de incendios
stop sign,señal de stop
parking meter,parquímetro
bench,banco
bird,pájaro
cat,gato
dog,perro
horse,caballo
sheep,oveja
cow,vaca
elephant,elefante
bear,oso
zebra,cebra
giraffe,jirafa
backpack,mochila
umbrella,paraguas
handbag,bolso
tie,corbata
suitcase,maleta
frisbee,disco volador
skis,esquís
snowboard,tabla de snowboard
sports ball,balón
kite,cometa
baseball bat,bate de béisbol
baseball glove,guante de béisbol
skateboard,monopatín
surfboard,tabla de surf
tennis racket,raqueta de tenis
bottle,botella
wine glass,copa de vino
cup,taza
fork,tenedor
knife,cuchillo
spoon,cuchara
bowl,cuenco
banana,plátano
apple,manzana
sandwich,bocadillo
orange,naranja
broccoli,brócoli
carrot,zanahoria
hot dog,perrito caliente
pizza,pizza
donut,rosquilla
cake,tarta
chair,silla
couch,sofá
potted plant,planta en maceta
bed,cama
dining table,mesa de comedor
toilet,inodoro
tv,televisor
laptop,ordenador portátil
mouse,ratón de ordenador
remote,mando a distancia
keyboard,teclado
cell phone,teléfono móvil
microwave,microondas
oven,horno
toaster,tostadora
sink,fregadero
refrigerator,frigorífico
book,libro
clock,reloj
vase,jarrón
scissors,tijeras
teddy bear,oso de peluche
hair drier,secador de pelo
toothbrush,cepillo de dientes
`;
